/// The double-entry, append-only ledger: accounts, transactions that sum to zero, postings, and the
/// verification of all invariants.
@NullMarked
package io.viaduct.billing.ledger;

import org.jspecify.annotations.NullMarked;
