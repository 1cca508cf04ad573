package io.viaduct.testbed.demo;

import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A process that is killed with SIGKILL at a step, as from another shell: `billing@handover`.
///
/// @param process `snapt-1`, `snapt-2`, `ims-bridge`, `danum-billing`, `webgui` or `cnapt`
/// @param step one of [#STEPS]
record Kill(String process, String step) {
  static final List<String> STEPS = List.of("handover", "interactive", "conversation");

  static final class Converter implements ITypeConverter<Kill> {
    @Override
    public Kill convert(String text) {
      String[] parts = text.split("@", 2);
      if (parts.length != 2 || !STEPS.contains(parts[1])) {
        throw new TypeConversionException(
            "'%s' must be <process>@<step>, step one of %s".formatted(text, STEPS));
      }
      String process =
          switch (parts[0]) {
            case "snapt" -> "snapt-1";
            case "bridge" -> "ims-bridge";
            case "billing" -> "danum-billing";
            default -> parts[0];
          };
      return new Kill(process, parts[1]);
    }
  }
}
