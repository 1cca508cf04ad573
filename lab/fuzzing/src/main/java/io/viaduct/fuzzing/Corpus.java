package io.viaduct.fuzzing;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;
import org.junit.platform.commons.support.ReflectionSupport;

/// Gives a `@FuzzTest` its corpus: the inputs of its `seeds()`, then the lines of its file `.hex`.
public final class Corpus implements ArgumentsProvider {
  private static final int NAME_BYTES = 12;

  @Override
  public Stream<Arguments> provideArguments(ParameterDeclarations method, ExtensionContext context)
      throws IOException {
    Class<?> type = context.getRequiredTestClass();
    Method made = ReflectionSupport.findMethod(type, "seeds").orElseThrow();
    var seeds = (List<?>) requireNonNull(ReflectionSupport.invokeMethod(made, null));
    try (InputStream file = type.getResourceAsStream(type.getSimpleName() + ".hex")) {
      String lines = file == null ? "" : new String(file.readAllBytes(), StandardCharsets.US_ASCII);
      return Stream.concat(
              seeds.stream().map(byte[].class::cast), lines.lines().map(HexFormat.of()::parseHex))
          .map(input -> Arguments.of(Named.of(start(input), input)));
    }
  }

  private static String start(byte[] input) {
    return "0x" + HexFormat.of().formatHex(input, 0, Math.min(input.length, NAME_BYTES));
  }
}
