/// What this device has carried and what it has signed of it: the receipts of ADR 0024.
@NullMarked
package io.viaduct.cnapt.receipts;

import org.jspecify.annotations.NullMarked;
