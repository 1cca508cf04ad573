package io.viaduct.service.configuration;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a key that holds the name of a file or directory as text, empty for none: it is relative
/// to the configuration file, as every [java.nio.file.Path] and [Secret] is.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface FileName {}
