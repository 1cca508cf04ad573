/// Health and metrics for operators, served by Actuator.
@NullMarked
package io.viaduct.spring.operations;

import org.jspecify.annotations.NullMarked;
