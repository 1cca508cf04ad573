/// The append-only log of what operators change.
@NullMarked
package io.viaduct.billing.audit;

import org.jspecify.annotations.NullMarked;
