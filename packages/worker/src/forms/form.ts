/** What a form is for. */
export const formKinds = ['login', 'register', 'recover', 'search', 'contact', 'join', 'other'] as const;
export type FormKind = (typeof formKinds)[number];

/**
 * What a field of a form takes. In a login form at most one field is `user` or `mail` and at most one `password`: the
 * ones to fill. A `honeypot` is shown to programs only; a filled one gives them away.
 */
export type FieldRole =
  | 'user'
  | 'mail'
  | 'password'
  | 'captcha'
  | 'remember'
  | 'submit'
  | 'hidden'
  | 'honeypot'
  | 'other';

/** An element of the page: `querySelectorAll(selector)[nth]` in a browser. */
export interface ElementPlace {
  readonly selector: string;
  readonly nth: number;
}

export interface FormField {
  readonly name: string;
  /** Of an input its type; else `select`, `textarea`, or the type of a button. */
  readonly type: string;
  readonly role: FieldRole;
  readonly value: string;
  /** Whether the form sends it as it stands: boxes that are not ticked and disabled fields are not sent. */
  readonly isSent: boolean;
  readonly place: ElementPlace;
}

export interface FoundForm {
  readonly kind: FormKind;
  /** How sure the kind is, 0 to 1. */
  readonly score: number;
  /** Absolute. */
  readonly action: string;
  readonly method: 'get' | 'post' | 'dialog';
  readonly enctype: string;
  /** Fields that stand in no form: only the scripts of the page can send them. */
  readonly isScripted: boolean;
  /** A field or a widget that asks for proof of being human. */
  readonly hasCaptcha: boolean;
  /** Undefined where the fields stand in no form. */
  readonly place: ElementPlace | undefined;
  readonly fields: readonly FormField[];
}
