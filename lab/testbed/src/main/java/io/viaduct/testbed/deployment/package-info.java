/// The deployment of the laboratory: the same jars as in production, each with its own
/// configuration file and namespace.
@NullMarked
package io.viaduct.testbed.deployment;

import org.jspecify.annotations.NullMarked;
