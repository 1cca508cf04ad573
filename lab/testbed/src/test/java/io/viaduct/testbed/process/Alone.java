package io.viaduct.testbed.process;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/// A laboratory that measures rates or times: the suite runs it with nothing else beside it. All
/// others run two at a time, each in namespaces of its own.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("alone")
public @interface Alone {}
