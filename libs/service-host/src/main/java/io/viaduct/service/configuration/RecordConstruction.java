package io.viaduct.service.configuration;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.std.StdValueInstantiator;
import tools.jackson.databind.module.SimpleValueInstantiators;

/// Makes Jackson create records through their constructors by reflection. By default Jackson links
/// a method handle per constructor. The JDK generates classes for these at every start, and a start
/// cache cannot hold them: this took a seventh of an agent's start (docs/adr/0022-start.md).
final class RecordConstruction extends SimpleValueInstantiators {
  @Override
  public ValueInstantiator modifyValueInstantiator(
      DeserializationConfig config, BeanDescription.Supplier type, ValueInstantiator instantiator) {
    return type.getBeanClass().isRecord()
            && instantiator instanceof StdValueInstantiator standard
            && standard.getWithArgsCreator() != null
            && standard.getWithArgsCreator().getAnnotated() instanceof Constructor<?> constructor
        ? new ByConstructor(standard, constructor)
        : instantiator;
  }

  private static final class ByConstructor extends StdValueInstantiator {
    private final Constructor<?> constructor;

    ByConstructor(StdValueInstantiator standard, Constructor<?> constructor) {
      super(standard);
      this.constructor = constructor;
    }

    @Override
    public Object createFromObjectWith(DeserializationContext context, Object[] arguments) {
      try {
        return constructor.newInstance(arguments);
      } catch (InvocationTargetException e) {
        return context.handleInstantiationProblem(
            getValueClass(), arguments, rewrapCtorProblem(context, e.getCause()));
      } catch (InstantiationException | IllegalAccessException e) {
        throw new IllegalStateException(constructor + " was made accessible by Jackson", e);
      }
    }
  }
}
