/// Statements of an account by month: what moved its balance, summed from the ledger.
@NullMarked
package io.viaduct.billing.statement;

import org.jspecify.annotations.NullMarked;
