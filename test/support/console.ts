const METHODS = ['error', 'warn', 'info', 'debug'] as const

/** What is written to the console meanwhile, each line with the method before it and without its time. */
export async function written(work: () => unknown): Promise<string[]> {
  const original = METHODS.map((method) => console[method])
  const lines: string[] = []
  for (const method of METHODS) console[method] = (line: string) => lines.push(`${method}: ${withoutTime(line)}`)
  try {
    await work()
  } finally {
    for (const [index, method] of METHODS.entries()) console[method] = original[index] as typeof console.error
  }
  return lines
}

const withoutTime = (line: string) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /, '')
