/// Hashes of signed statements: the chain of an account's receipts, and the tree of a day over the
/// chains of all accounts (ADR 0055). Billing makes them; `denarii` checks them without billing.
@NullMarked
package io.viaduct.usage.statement;

import org.jspecify.annotations.NullMarked;
