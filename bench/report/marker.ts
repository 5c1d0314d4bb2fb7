import { element } from './svg.js'

const SIZE = 4.5

/** A small shape at a point; neighbours in a list have different ones. */
export function marker(index: number, x: number, y: number, fill: string): string {
  switch (index % 4) {
    case 0:
      return element('circle', { cx: x, cy: y, r: SIZE, fill })
    case 1:
      return element('rect', { x: x - SIZE, y: y - SIZE, width: 2 * SIZE, height: 2 * SIZE, fill })
    case 2:
      return polygon([
        [x, y - SIZE * 1.3],
        [x + SIZE * 1.2, y + SIZE],
        [x - SIZE * 1.2, y + SIZE],
      ])
    default:
      return polygon([
        [x, y - SIZE * 1.3],
        [x + SIZE * 1.3, y],
        [x, y + SIZE * 1.3],
        [x - SIZE * 1.3, y],
      ])
  }

  function polygon(corners: readonly (readonly [number, number])[]): string {
    const points = corners.map((corner) => corner.map((place) => place.toFixed(1)).join(',')).join(' ')
    return element('polygon', { points, fill })
  }
}
