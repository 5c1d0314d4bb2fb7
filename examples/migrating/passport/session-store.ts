import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SessionData, Store } from 'express-session'

/** Keeps the sessions of express-session in files. It stands for the store of your application, such as that of `connect-redis`. */
export class FileStore extends Store {
  constructor(readonly folder: string) {
    super()
    mkdirSync(folder, { recursive: true })
  }

  // An id comes from a cookie that is signed, and is a text of letters, digits, `-` and `_`.
  #file = (id: string) => join(this.folder, `${id}.json`)

  override get(id: string, done: (error: unknown, session?: SessionData | null) => void): void {
    try {
      done(null, JSON.parse(readFileSync(this.#file(id), 'utf8')))
    } catch {
      done(null, null)
    }
  }

  override set(id: string, session: SessionData, done?: (error?: unknown) => void): void {
    writeFileSync(this.#file(id), JSON.stringify(session), { mode: 0o600 })
    done?.()
  }

  override destroy(id: string, done?: (error?: unknown) => void): void {
    rmSync(this.#file(id), { force: true })
    done?.()
  }
}
