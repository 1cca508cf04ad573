/// The connection to billing, which provisioning and reporting share.
@NullMarked
package io.viaduct.bridge.billing;

import org.jspecify.annotations.NullMarked;
