const OURS = /^(?:(?:NEXT)?AUTH_|VERCEL$|CF_PAGES$|NODE_ENV$)/

/**
 * Sets these variables, and removes all others that Latchkey reads.
 *
 * @returns puts everything back
 */
export function setEnv(variables: Readonly<Record<string, string>>): () => void {
  const before = { ...process.env }
  for (const name of Object.keys(process.env)) if (OURS.test(name)) delete process.env[name]
  Object.assign(process.env, variables)
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

/** Runs work with these variables and no others that Latchkey reads, and puts everything back. */
export async function withEnv(variables: Readonly<Record<string, string>>, work: () => Promise<void>): Promise<void> {
  const restore = setEnv(variables)
  try {
    await work()
  } finally {
    restore()
  }
}
