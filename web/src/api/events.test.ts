import { expect, it } from 'vitest';
import { EventParser } from './events';

it('takes events apart however the stream is cut', () => {
  const text = ': hello\n\nid: 1\nevent: epoch\ndata: {"epoch":1}\n\nevent: status\ndata: {"power_w":65}\n\ndata: no JSON\n\nevent: ended\ndata: {}\n\n';
  for (let size = 1; size < text.length; size += 1) {
    const parser = new EventParser();
    const found = [];
    for (let i = 0; i < text.length; i += size) found.push(...parser.feed(text.slice(i, i + size)));
    expect(found).toEqual([
      { name: 'epoch', id: '1', data: { epoch: 1 } }, { name: 'status', id: '', data: { power_w: 65 } }, { name: 'ended', id: '', data: {} },
    ]);
  }
});
