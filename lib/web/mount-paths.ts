import { isServedPath } from '../engine/action-names.js'

/** Whether a path below the mount is one that Latchkey serves. The application may have routes of its own beside them. */
export const isServedAt = (path: string, mount: string): boolean =>
  path.startsWith(`${mount}/`) && isServedPath(path.slice(mount.length))
