"""stub"""
def tell(trace): return ""
