/// Signed statements: the chain of receipts of each account, the published roots of days, and the
/// files that users check without billing (ADR 0055).
@NullMarked
package io.viaduct.billing.receipts;

import org.jspecify.annotations.NullMarked;
