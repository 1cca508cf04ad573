/// The configuration of billing: its keys, their bounds and defaults.
@NullMarked
package io.viaduct.billing.configuration;

import org.jspecify.annotations.NullMarked;
