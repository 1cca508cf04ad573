package io.viaduct.billing.preview;

import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffDocument;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The tariff that a command is about.
public final class DraftOption {
  @Option(names = "--tariff", description = "tariff document, YAML or JSON; else the shipped one")
  private @Nullable Path file;

  /// Reads the tariff.
  ///
  /// @throws io.viaduct.billing.tariff.TariffRefusedException naming the key and the rule
  public Tariff read() throws IOException {
    return file == null ? TariffDocument.initial() : TariffDocument.load(file);
  }
}
