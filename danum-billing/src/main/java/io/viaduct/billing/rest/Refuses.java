package io.viaduct.billing.rest;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Names the problems that an operation answers with beside those that every operation has; the
/// description of the interface is made from it.
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Refuses {
  ProblemType[] value();
}
