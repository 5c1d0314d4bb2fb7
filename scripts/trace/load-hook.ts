import { readFile } from 'node:fs/promises'
import type { InitializeHook, LoadHook } from 'node:module'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { instrument } from './instrument.js'

/** What the program that registers this hook hands to it. */
export interface HookData {
  /** URL of the folder whose modules are instrumented, with a slash at its end. */
  readonly root: string
}

let root = ''

export const initialize: InitializeHook<HookData> = (data) => {
  root = data.root
}

/** Loads TypeScript modules below the root with every function instrumented, and leaves all others alone. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const [address = ''] = url.split('?')
  if (!address.startsWith(root) || !address.endsWith('.ts')) return nextLoad(url, context)
  const { code } = await transform(await readFile(fileURLToPath(address), 'utf8'), {
    loader: 'ts',
    format: 'esm',
    target: 'node20.19',
  })
  return { format: 'module', shortCircuit: true, source: instrument(code, address.slice(root.length)) }
}
