package io.viaduct.denarii.api;

import io.viaduct.service.configuration.PrivateFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/// The file in which a log-in is kept, mode 600.
public final class LoginFile {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final Path file;

  public LoginFile(Path file) {
    this.file = file;
  }

  /// A log-in.
  ///
  /// @param billing the billing that gave the token
  /// @param user account that logged in
  /// @param expiresAt when the token ends
  public record Login(URI billing, String user, String token, Instant expiresAt) {
    @Override
    public String toString() {
      return "Login[user=" + user + "]";
    }
  }

  /// Returns the kept log-in; empty if there is none.
  ///
  /// @throws NotLoggedInException if the file is open to others or not a log-in
  public Optional<Login> read() throws IOException {
    try {
      PrivateFile.require(file);
      return Optional.of(JSON.readValue(Files.readString(file), Login.class));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IllegalArgumentException | JacksonException e) {
      throw new NotLoggedInException(
          e instanceof JacksonException
              ? "%s is not a log-in: run denarii login --user NAME".formatted(file)
              : String.valueOf(e.getMessage()));
    }
  }

  /// Keeps a log-in in place of an earlier one.
  public void write(Login login) throws IOException {
    Path directory = Files.createDirectories(file.toAbsolutePath().getParent());
    Path fresh =
        Files.createTempFile(
            directory,
            "login-",
            ".new",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(fresh, JSON.writeValueAsString(login));
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /// Forgets the log-in.
  public void delete() throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
