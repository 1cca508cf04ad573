package io.viaduct.service.configuration;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.ser.std.ToStringSerializer;

/// Binds a single YAML value to a record or enum with a public static factory `of(String)`. A
/// record is written with its `toString`. So modules without Jackson can have their own types in a
/// configuration.
final class SingleValue extends JacksonAnnotationIntrospector {
  private static final long serialVersionUID = 1;

  /// Returns whether a type is read from a single value, by such a factory or by [JsonCreator].
  static boolean is(Class<?> type) {
    return factory(type).isPresent()
        || Arrays.stream(type.getDeclaredMethods())
            .anyMatch(method -> method.isAnnotationPresent(JsonCreator.class));
  }

  private static Optional<Method> factory(Class<?> type) {
    return type.isRecord() || type.isEnum()
        ? Arrays.stream(type.getDeclaredMethods())
            .filter(method ->
                method.getName().equals("of")
                    && Modifier.isStatic(method.getModifiers())
                    && Modifier.isPublic(method.getModifiers())
                    && method.getReturnType() == type
                    && Arrays.equals(method.getParameterTypes(), new Class<?>[] {String.class}))
            .findFirst()
        : Optional.empty();
  }

  @Override
  public @Nullable Object findDeserializer(MapperConfig<?> config, Annotated annotated) {
    Object annotatedOne = super.findDeserializer(config, annotated);
    return annotatedOne == null && annotated instanceof AnnotatedClass type
        ? factory(type.getRawType()).map(Reader::new).orElse(null)
        : annotatedOne;
  }

  @Override
  public @Nullable Object findSerializer(MapperConfig<?> config, Annotated annotated) {
    return annotated instanceof AnnotatedClass type
            && type.getRawType().isRecord()
            && factory(type.getRawType()).isPresent()
        ? ToStringSerializer.class
        : super.findSerializer(config, annotated);
  }

  /// Reads a single value. Numbers and booleans are passed to the factory as text: `pacing:
  /// 5000000`, `context: off`.
  private static final class Reader extends StdDeserializer<Object> {
    private final Method factory;

    private Reader(Method factory) {
      super(factory.getReturnType());
      this.factory = factory;
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
      String word = parser.getValueAsString();
      if (word == null) {
        return context.handleUnexpectedToken(handledType(), parser);
      }
      try {
        return factory.invoke(null, word);
      } catch (InvocationTargetException e) {
        throw context.instantiationException(handledType(), e.getCause());
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(factory + " is public, its class is not", e);
      }
    }
  }
}
