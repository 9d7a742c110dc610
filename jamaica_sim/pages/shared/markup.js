// Markup, and the only place that writes it into a page. A value within html`…` is text, unless it is markup itself:
// so nothing that comes from outside, from an address or a file, can become an element or an attribute.

class Markup {
  constructor(text) { this.text = text; }
  toString() { return this.text; }  // of no use for cheating: a text is escaped again
}
const escaped = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
const written = value => value instanceof Markup ? value.text : Array.isArray(value) ? value.map(written).join("") : escaped(value);

/** Markup of a template. Its values are texts and numbers, markup, or lists of them; attributes are always in quotes. */
export const html = (texts, ...values) => new Markup(texts.map((text, i) => i ? written(values[i - 1]) + text : text).join(""));

/** Parts with something between them. */
export const listed = (parts, between) => parts.flatMap((part, i) => i ? [between, part] : [part]);

/** Fill an element, but leave it alone where nothing changes, so that focus and screen readers keep their place; says which. */
export function fill(element, content) {
  const text = written(content);
  if (element.filled === text) return false;
  const held = element.contains(document.activeElement) && document.activeElement;
  element.filled = text;
  element.innerHTML = text;
  if (held) twinOf(held, element)?.focus({ preventScroll: true });
  return true;
}
/* The control that has taken the place of one: of the same name, or of the same label where its value is another now. */
function twinOf(held, element) {
  const key = ({ id, tagName, dataset }, more) => JSON.stringify([id, tagName, { ...dataset, ...more }]), labelled = one => key(one, { value: one.ariaLabel });
  const all = [...element.querySelectorAll(held.tagName)];
  return all.find(one => key(one) === key(held)) ?? all.find(one => labelled(one) === labelled(held));
}
/** The page as it stands, as the text of a file. */
export function pageSource() { return `<!doctype html>\n${document.documentElement.outerHTML}`; }
