import { z } from 'zod';
import { jobJsonSchema } from '../job/schema.ts';
import { errorCodes } from '../base/errors.ts';
import { problemSchema, problemType } from './problem.ts';
import { type ApiScope, apiScopes, type Route } from './route.ts';

type Json = Record<string, unknown>;

export interface OpenApiDocument {
  openapi: string;
  info: Json;
  servers: Json[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Json; responses: Json; parameters: Json; securitySchemes: Json };
}

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  tags: string[];
  /** The least a token needs; absent on routes without one. */
  'x-scope'?: ApiScope;
  security: Record<string, string[]>[];
  parameters?: Json[];
  requestBody?: Json;
  responses: Record<string, Json>;
}

/** What the families are about, for the head of each chapter. */
export type FamilyMeanings = Readonly<Record<string, string>>;

const description = `REST API of a Webfarer coordinator. Send the token as \`Authorization: Bearer TOKEN\`. An operation names the least scope it needs in \`x-scope\`: ${apiScopes.join(', ')}. Every refusal is a problem document (RFC 9457) whose \`next\` says what to do. Lists are read page by page: pass \`next\` as \`after\`.`;

/** The OpenAPI 3.1 document of a table of routes. */
export function openApiOf(
  routes: Readonly<Record<string, Route>>,
  families: FamilyMeanings,
  about: { version: string },
): OpenApiDocument {
  const schemas: Json = {};
  const schemaOf = (schema: z.ZodType): Json => jsonSchemaOf(schema, schemas);
  const paths: OpenApiDocument['paths'] = {};
  for (const [name, route] of Object.entries(routes)) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = operationOf(name, route, schemaOf);
  }
  const problem = schemaOf(problemSchema);
  // The table leaves a job open, because the job itself is checked with better messages; the document does not.
  if ('Job' in schemas) schemas['Job'] = jobSchema(schemas['Job'] as Json);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Webfarer',
      version: about.version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(families).map(([name, meaning]) => ({ name, description: meaning })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      responses: {
        Problem: {
          description: 'The request was refused, or failed',
          content: { [problemType]: { schema: problem } },
        },
      },
      parameters: { IdempotencyKey: idempotencyKey },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-webfarer-session' },
      },
    },
  };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Chosen by the client, new for each thing it creates. The same request with the same key again answers what the first one created.',
  schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' },
};

type SchemaOf = (schema: z.ZodType) => Json;

function operationOf(name: string, route: Route, schemaOf: SchemaOf): OpenApiOperation {
  const isPublic = route.scope === 'public';
  const parameters = [
    ...parametersOf(route.params, 'path', schemaOf),
    ...parametersOf(route.query, 'query', schemaOf),
    ...(route.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.family],
    ...(route.scope === 'public' ? {} : { 'x-scope': route.scope }),
    security: isPublic ? [] : [{ token: [] }, { session: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: bodyOf(route.body, route.yamlField, schemaOf) } : {}),
    responses: responsesOf(route, schemaOf),
  };
}

function parametersOf(schema: z.ZodObject, where: 'path' | 'query', schemaOf: SchemaOf): Json[] {
  const { properties = {}, required = [] } = schemaOf(schema) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description: meaning, ...inner }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(meaning === undefined ? {} : { description: meaning }),
    schema: inner,
  }));
}

function bodyOf(body: z.ZodType, yamlField: string | undefined, schemaOf: SchemaOf): Json {
  const yaml = {
    'application/yaml': { schema: { type: 'string', description: `\`${yamlField}\` alone, as YAML` } },
  };
  return {
    required: true,
    content: {
      'application/json': { schema: schemaOf(body) },
      ...(yamlField === undefined ? {} : yaml),
    },
  };
}

function responsesOf(route: Route, schemaOf: SchemaOf): Record<string, Json> {
  const refusals = [
    '400',
    ...(route.scope === 'public' ? [] : ['401']),
    '403',
    ...(route.path.includes('{') ? ['404'] : []),
    '405',
    '408',
    ...(route.method === 'GET' ? [] : ['409', '413', '415']),
    ...(route.refusals ?? []).map((code) => String(errorCodes[code].status)),
    '431',
    '500',
    '503',
    ...(route.method === 'GET' ? [] : ['507']),
    'default',
  ];
  const problem = { $ref: '#/components/responses/Problem' };
  return {
    ...successesOf(route.answer, schemaOf),
    ...Object.fromEntries(refusals.map((status) => [status, problem])),
  };
}

function successesOf(answer: Route['answer'], schemaOf: SchemaOf): Record<string, Json> {
  switch (answer.kind) {
    case 'json':
      return {
        [answer.status]: {
          description: answer.status === 201 ? 'Created' : 'Success',
          content: { 'application/json': { schema: schemaOf(answer.schema) } },
        },
      };
    case 'ndjson':
      return {
        200: {
          description: 'One JSON value per line',
          content: { 'application/x-ndjson': { schema: schemaOf(answer.item) } },
        },
      };
    case 'text':
      return { 200: { description: 'Success', content: { [answer.type]: { schema: { type: 'string' } } } } };
    case 'bytes':
      return {
        200: { description: 'The whole file', content: { [answer.type]: {} } },
        206: { description: 'The range that was asked for', content: { [answer.type]: {} } },
        416: { description: 'The file ends before the range', content: { [answer.type]: {} } },
      };
    case 'none':
      return { 204: { description: 'Done' } };
    case 'redirect':
      return {
        302: {
          description: 'The browser goes on there',
          headers: { location: { schema: { type: 'string' } } },
        },
      };
  }
}

/** As JSON Schema. Schemas that have an id go to the components, where all operations share them. */
function jsonSchemaOf(schema: z.ZodType, components: Json): Json {
  const { $schema: _dialect, $defs = {}, ...own } = z.toJSONSchema(schema, { io: 'input' }) as Json;
  for (const [id, inner] of Object.entries($defs as Json)) components[id] ??= withComponentRefs(inner);
  return withComponentRefs(own) as Json;
}

function withComponentRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withComponentRefs);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      // The name of the component says the same.
      .filter(([key, inner]) => !(key === 'id' && typeof inner === 'string'))
      .map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string'
          ? inner.replace('#/$defs/', '#/components/schemas/')
          : withComponentRefs(inner),
      ]),
  );
}

function jobSchema({ description: meaning }: Json): Json {
  const { $schema: _dialect, ...job } = jobJsonSchema() as Json;
  return { description: meaning, anyOf: [job, { type: 'string', minLength: 1 }] };
}
