import { spawnSync } from 'node:child_process'

/** Skips a suite with the reason, or fails it in CI, where a skipped test would hide that nothing was tested. */
export function skipSuite(context: Mocha.Context, reason: string): never {
  if (process.env['CI']) throw new Error(`CI=true, and ${reason}`)
  console.info(`    skipped: ${reason}`)
  return context.skip()
}

/** Skips a suite where a program that it starts is not installed. */
export function requirePrograms(context: Mocha.Context, ...names: readonly string[]): void {
  const missing = names.filter((name) => spawnSync(name, ['-v'], { stdio: 'ignore' }).error !== undefined)
  if (missing.length > 0) skipSuite(context, `not installed: ${missing.join(', ')}`)
}
