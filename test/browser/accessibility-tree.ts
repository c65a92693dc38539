// What a screen reader gets of a page: Chromium's accessibility tree, over the DevTools protocol.
import type { Page } from 'playwright-core';

/** An element as assistive technology gets it. */
export interface AccessibleNode {
  role: string;
  name: string;
  /** The texts that `aria-describedby` names: the hint and the message of a field. */
  description: string;
  /** All text inside the element. */
  text: string;
  /** `required`, `invalid`, `focused`, `live` and others, with their values. */
  states: Readonly<Record<string, unknown>>;
}

/** Returns the elements that are not hidden from assistive technology, in reading order. */
export async function accessibleNodes(page: Page): Promise<AccessibleNode[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  const nodesById = new Map(nodes.map((node) => [node.nodeId, node]));
  const read = (id: string): AccessibleNode[] => {
    const node = nodesById.get(id);
    if (node === undefined) return [];
    const inside = (node.childIds ?? []).flatMap(read);
    if (node.ignored) return inside;
    const { role, name, description, properties = [] } = node;
    const texts = inside.filter((other) => other.role === 'StaticText').map((other) => other.name);
    const element = {
      role: String(role?.value ?? ''),
      name: String(name?.value ?? ''),
      description: String(description?.value ?? ''),
      text: texts.join('').trim(),
      states: Object.fromEntries(properties.map((property) => [property.name, property.value.value])),
    };
    return [element, ...inside];
  };
  return read(nodes[0]?.nodeId ?? '');
}
