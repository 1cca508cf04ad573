/// What the laboratory deploys: the same jars as in production, each with a configuration file of
/// its own and a namespace.
@NullMarked
package io.viaduct.testbed.deployment;

import org.jspecify.annotations.NullMarked;
