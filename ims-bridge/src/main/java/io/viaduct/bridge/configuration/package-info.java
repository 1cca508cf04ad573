/// The validated configuration of the bridge.
@NullMarked
package io.viaduct.bridge.configuration;

import org.jspecify.annotations.NullMarked;
