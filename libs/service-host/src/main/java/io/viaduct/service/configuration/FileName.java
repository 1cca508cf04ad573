package io.viaduct.service.configuration;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a key of type String that holds the name of a file or directory; empty for none. The name
/// is relative to the configuration file, as for every [java.nio.file.Path] and [Secret].
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface FileName {}
