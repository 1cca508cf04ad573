/// Double entry, append only: accounts, transactions that sum to zero, postings, and the proof that
/// all invariants hold.
@NullMarked
package io.viaduct.billing.ledger;

import org.jspecify.annotations.NullMarked;
