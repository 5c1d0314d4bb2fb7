/** How long a load lasts: until its time is up or its number of requests has begun, whichever is first. */
export interface Extent {
  readonly seconds?: number
  readonly requests?: number
}

/** Begins a load. What it returns tells before each request whether that one still belongs to it. */
export function begin({
  seconds = Number.POSITIVE_INFINITY,
  requests = Number.POSITIVE_INFINITY,
}: Extent): () => boolean {
  const end = performance.now() + seconds * 1000
  let begun = 0
  return () => {
    if (begun >= requests || performance.now() >= end) return false
    begun += 1
    return true
  }
}
