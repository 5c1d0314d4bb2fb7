import { isServedPath } from '../engine/action-names.js'

/** Whether a path is that of the mount or below it. At the root the mount shares its paths with the application. */
export const isBelow = (path: string, mount: string): boolean =>
  mount === '' ? isServedPath(path) : path === mount || path.startsWith(`${mount}/`)

/** Whether a path below the mount is one that Latchkey serves. The application may have routes of its own beside them. */
export const isServedAt = (path: string, mount: string): boolean =>
  path.startsWith(`${mount}/`) && isServedPath(path.slice(mount.length))
