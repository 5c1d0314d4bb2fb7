import { createRequestHandler } from '@react-router/express'
import express from 'express'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import {
  type ActionFunctionArgs,
  type EntryContext,
  type LoaderFunctionArgs,
  type MiddlewareFunction,
  Outlet,
  type ServerBuild,
  ServerRouter,
  useLoaderData,
} from 'react-router'
import type { WebAuth } from '../../../lib/frameworks/web/index.js'
import { listen, type Running } from '../../support/app.js'

/** The modules of the recipe. */
export interface Recipe {
  readonly '~/auth.server': { readonly auth: WebAuth }
  readonly '~/routes/auth': {
    readonly loader: (args: LoaderFunctionArgs) => Promise<Response>
    readonly action: (args: ActionFunctionArgs) => Promise<Response>
  }
  readonly middleware: MiddlewareFunction<Response>[]
  readonly loader: (args: LoaderFunctionArgs) => unknown
}

type Route = NonNullable<ServerBuild['routes'][string]>
type RouteModule = Partial<Route['module']>

const page = () => createElement('p', null, JSON.stringify(useLoaderData()))

/** The routes of an application that follows the recipe, and those on which loaders and actions ran. */
function routesOf(recipe: Recipe, ran: string[]): Record<string, RouteModule & { at: string }> {
  const note = (id: string) => {
    ran.push(id)
    return { reader: id }
  }
  return {
    root: { at: '', default: () => createElement(Outlet), ErrorBoundary: () => createElement('p', null, 'Error') },
    auth: { at: 'root auth/*', ...recipe['~/routes/auth'] },
    home: {
      at: 'root ',
      loader: async ({ request }: LoaderFunctionArgs) => recipe['~/auth.server'].auth.forRequest(request).getSession(),
      default: page,
    },
    private: {
      at: 'root private',
      middleware: recipe.middleware,
      loader: () => note('private'),
      default: () => createElement(Outlet),
    },
    // A resource, without a page.
    papers: { at: 'private papers', loader: recipe.loader as never },
    letters: { at: 'private letters', loader: recipe.loader as never, action: () => note('action'), default: page },
  }
}

function buildOf(modules: Record<string, RouteModule & { at: string }>): ServerBuild {
  const routes: ServerBuild['routes'] = {}
  const manifest: Record<string, object> = {}
  for (const [id, { at, ...module }] of Object.entries(modules)) {
    const [parentId = '', path = ''] = at.split(' ')
    const place = {
      id,
      ...(parentId !== '' && { parentId }),
      ...(path === '' ? { index: id === 'home' || undefined } : { path }),
    }
    routes[id] = { ...place, module } as Route
    const has = {
      hasAction: 'action' in module,
      hasLoader: 'loader' in module,
      hasErrorBoundary: 'ErrorBoundary' in module,
    }
    manifest[id] = {
      ...place,
      ...has,
      module: `/${id}.js`,
      hasClientAction: false,
      hasClientLoader: false,
      hasClientMiddleware: false,
    }
  }
  return {
    routes,
    assets: { version: '1', url: '/manifest.js', entry: { module: '/entry.js', imports: [] }, routes: manifest },
    entry: {
      module: {
        default: (request: Request, status: number, headers: Headers, context: EntryContext) =>
          new Response(renderToString(createElement(ServerRouter, { context, url: request.url })), { status, headers }),
        handleError() {},
      },
    },
    future: { v8_middleware: true, v8_passThroughRequests: true },
    publicPath: '/',
    assetsBuildDirectory: 'build',
    isSpaMode: false,
    ssr: true,
    prerender: [],
    routeDiscovery: { mode: 'initial' },
  } as unknown as ServerBuild
}

/** Serves an application of the recipe with the server of React Router for Express. */
export async function startReactRouter(recipe: Recipe): Promise<Running & { readonly ran: string[] }> {
  const ran: string[] = []
  const app = express().set('env', 'test')
  app.use(createRequestHandler({ build: buildOf(routesOf(recipe, ran)), mode: 'production' }))
  return { ...(await listen(app)), ran }
}
