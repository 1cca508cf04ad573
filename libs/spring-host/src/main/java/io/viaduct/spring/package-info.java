/// The start of a Spring Boot application from a configuration that has been validated before
/// Spring starts.
@NullMarked
package io.viaduct.spring;

import org.jspecify.annotations.NullMarked;
