// A rule of the contract suite, and a section of rules.
import type { Deployment } from './deployment.js';

/** A rule of the contract suite. */
export interface ContractRule {
  name: string;
  /** A response that the rule accepts, or the part of it that the rule is about. */
  sample?: string;
  /** Default: the advice of the section. */
  advice?: string;
  check(deployment: Deployment): Promise<void>;
}

/** Rules of one section of the contract or of the decisions. */
export interface ContractSection {
  section: string;
  /** Advice for a failed rule of the section. */
  advice: string;
  rules: readonly ContractRule[];
}
