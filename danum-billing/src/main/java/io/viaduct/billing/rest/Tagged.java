package io.viaduct.billing.rest;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks an operation whose answer has an entity tag. The OpenAPI description says so.
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Tagged {}
