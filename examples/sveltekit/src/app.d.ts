import type { AuthLocals, Session } from 'latchkey/sveltekit'

declare global {
  namespace App {
    interface Locals extends AuthLocals {}
    interface PageData {
      session?: Session | null
    }
  }
}
