/// Credit control: quotas for the sessions of SNAPTs, reserved from the account's credit (ADR
/// 0041).
@NullMarked
package io.viaduct.billing.credit;

import org.jspecify.annotations.NullMarked;
