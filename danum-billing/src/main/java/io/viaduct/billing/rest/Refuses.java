package io.viaduct.billing.rest;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Lists the problems that an operation may answer with, in addition to those of every operation.
/// The OpenAPI description is generated from it.
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Refuses {
  ProblemType[] value();
}
