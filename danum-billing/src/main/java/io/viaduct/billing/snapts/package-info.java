/// The enrolled SNAPTs: report key, owner, region. One source for billing, bridge and devices.
@NullMarked
package io.viaduct.billing.snapts;

import org.jspecify.annotations.NullMarked;
