/// The receipts of ADR 0024: counts the traffic of this device, and signs the SNAPT's reports of
/// it.
@NullMarked
package io.viaduct.cnapt.receipts;

import org.jspecify.annotations.NullMarked;
