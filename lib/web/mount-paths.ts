import { isServedPath } from '../engine/action-names.js'

/** Whether a path is that of the mount or below it. At the root the mount shares its paths with the application. */
export const isBelow = (path: string, mount: string): boolean =>
  mount === '' ? isServedPath(path) : path === mount || path.startsWith(`${mount}/`)
