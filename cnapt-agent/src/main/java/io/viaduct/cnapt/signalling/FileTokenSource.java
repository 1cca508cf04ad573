package io.viaduct.cnapt.signalling;

import io.viaduct.cnapt.control.BridgeKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads the token from a file: base64url on the first line. Reads it at the start and whenever the
/// file has changed. For test benches, and for devices whose tokens another program obtains.
public final class FileTokenSource implements TokenSource {
  private static final Logger LOG = LoggerFactory.getLogger(FileTokenSource.class);
  private static final int LOOK_SECONDS = 2;
  private static final long FILE_BYTES_MAX = 16_384;

  private final Path file;
  private final ScheduledExecutorService looking =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("token-file").daemon().factory());
  private volatile @Nullable TicketListener listener;
  private volatile String detail = "";
  private String shown = "";

  /// @param file file with the token
  public FileTokenSource(Path file) {
    this.file = file;
  }

  @Override
  public void start(TicketListener tickets) {
    listener = tickets;
    looking.scheduleWithFixedDelay(this::look, 0, LOOK_SECONDS, TimeUnit.SECONDS);
  }

  private void look() {
    TicketListener to = listener;
    try {
      if (Files.size(file) > FILE_BYTES_MAX) {
        throw new IOException("longer than " + FILE_BYTES_MAX + " bytes");
      }
      String text = Files.readString(file).strip();
      if (text.isEmpty() || text.equals(shown) || to == null) {
        return;
      }
      byte[] token = Base64.getUrlDecoder().decode(text);
      shown = text;
      detail = "";
      to.ticket(
          new SessionTicket(token, 0, List.of(), Map.of(), Map.of(), Map.of(), BridgeKeys.NONE));
    } catch (IOException | IllegalArgumentException e) {
      // A decoder's message may quote the token, so only the kind of the error is logged.
      String why = file + ": " + (e instanceof IOException ? e.toString() : "is not base64url");
      if (!why.equals(detail)) {
        detail = why;
        LOG.warn("no token: {}", why);
      }
    }
  }

  @Override
  public void renew() {
    // Another program renews the file, and the next check finds the change.
  }

  @Override
  public void networkChanged() {
    // A file does not depend on the network.
  }

  @Override
  public SignallingStatus status() {
    return SignallingStatus.idle(file.toString(), detail);
  }

  @Override
  public void close() {
    looking.shutdownNow();
  }
}
