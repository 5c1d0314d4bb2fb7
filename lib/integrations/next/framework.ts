/**
 * The modules of Next.js, loaded when first needed.
 *
 * Its bundlers know them by these names, and choose by the names what a server component gets and what other code gets.
 * Where Node.js itself loads this package (the pages router, `serverExternalPackages`, tests), the names are not found,
 * since Next.js declares no `exports`: there the name of the file is needed, and the bundlers must not follow it.
 */

export const nextHeaders = () =>
  import('next/headers').catch(() => import(/* webpackIgnore: true */ /* turbopackIgnore: true */ 'next/headers.js'))

export const nextNavigation = () =>
  import('next/navigation').catch(
    () => import(/* webpackIgnore: true */ /* turbopackIgnore: true */ 'next/navigation.js'),
  )

export const nextServer = () =>
  import('next/server').catch(() => import(/* webpackIgnore: true */ /* turbopackIgnore: true */ 'next/server.js'))
