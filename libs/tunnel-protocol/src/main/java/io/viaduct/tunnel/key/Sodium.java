package io.viaduct.tunnel.key;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/// Calls libsodium's AEADs: AES-256-GCM with a precomputed key schedule
/// (<https://doc.libsodium.org/secret-key_cryptography/aead/aes-256-gcm>) and ChaCha20-Poly1305 of
/// RFC 8439. The library comes from the jar that holds it for each platform.
///
/// The functions are linked at their first use. That fails if the library cannot be loaded, and for
/// AES if the processor has no instructions for it: ask [Ciphers] first.
final class Sodium {
  /// Names the directory of unpacked native libraries; the launcher sets it (bin/runtime.sh).
  private static final String NATIVES = "viaduct.natives";

  private static final SymbolLookup LIBRARY = load();

  /// Handles of AES-256-GCM. Each algorithm's handles are constants of a class, so that calls are
  /// compiled in.
  private static final class Aes {
    static final int SCHEDULE_BYTES = 512;
    static final MethodHandle BEFORE;
    static final MethodHandle ENCRYPT;
    static final MethodHandle DECRYPT;

    static {
      if (status(LIBRARY, "crypto_aead_aes256gcm_is_available") == 0) {
        throw new UnsatisfiedLinkError("the processor has no AES instructions");
      }
      BEFORE =
          handle(
              "crypto_aead_aes256gcm_beforenm",
              FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
      ENCRYPT = cipher("crypto_aead_aes256gcm_encrypt_afternm");
      DECRYPT = cipher("crypto_aead_aes256gcm_decrypt_afternm");
    }
  }

  private static final class ChaCha20 {
    static final MethodHandle ENCRYPT = cipher("crypto_aead_chacha20poly1305_ietf_encrypt");
    static final MethodHandle DECRYPT = cipher("crypto_aead_chacha20poly1305_ietf_decrypt");
  }

  private Sodium() {}

  private static MethodHandle handle(
      String name, FunctionDescriptor type, Linker.Option... options) {
    return Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow(name), type, options);
  }

  /// Returns the handle of a sealing or opening function, which has nine arguments. The call is
  /// critical: it is too short to stop for. All arguments are addresses, because a segment per call
  /// is garbage that the compiler does not always remove.
  private static MethodHandle cipher(String name) {
    return handle(
        name,
        FunctionDescriptor.of(
            JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
            JAVA_LONG, JAVA_LONG),
        Linker.Option.critical(false));
  }

  private static int status(SymbolLookup library, String name) {
    try {
      return (int)
          Linker.nativeLinker()
              .downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(JAVA_INT))
              .invokeExact();
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /// Converts a throwable that a handle declares and that a native call never throws.
  private static RuntimeException unchecked(Throwable e) {
    return switch (e) {
      case Error error -> throw error;
      case RuntimeException exception -> exception;
      default -> new IllegalStateException("a native call throws nothing checked", e);
    };
  }

  private static SymbolLookup load() {
    String resource = resource(System.getProperty("os.arch").toLowerCase(Locale.ROOT));
    String natives = System.getProperty(NATIVES);
    if (natives != null && Files.isReadable(Path.of(natives, resource))) {
      return started(Path.of(natives, resource));
    }
    try (InputStream from = Sodium.class.getResourceAsStream("/" + resource)) {
      if (from == null) {
        throw new UnsatisfiedLinkError("no " + resource + " on the class path");
      }
      Path copy = Files.createTempFile("viaduct-", ".so");
      try {
        Files.copy(from, copy, StandardCopyOption.REPLACE_EXISTING);
        return started(copy);
      } finally {
        Files.delete(copy); // the mapping survives the file
      }
    } catch (IOException e) {
      throw new UnsatisfiedLinkError("libsodium cannot be unpacked: " + e);
    }
  }

  private static SymbolLookup started(Path file) {
    SymbolLookup library = SymbolLookup.libraryLookup(file.toAbsolutePath(), Arena.global());
    if (status(library, "sodium_init") < 0) {
      throw new UnsatisfiedLinkError("libsodium refuses to start");
    }
    return library;
  }

  private static String resource(String architecture) {
    return switch (architecture) {
      case "amd64", "x86_64" -> "linux64/libsodium.so";
      case "aarch64" -> "arm64/libsodium.so";
      default -> throw new UnsatisfiedLinkError("no libsodium for " + architecture);
    };
  }

  /// Returns a key in its algorithm's form: the AES key schedule, aligned to 16, or the key's
  /// bytes. It lies outside the heap and is collected with the segment.
  static MemorySegment prepare(AeadAlgorithm algorithm, byte[] key) {
    return switch (algorithm) {
      case AES_256_GCM -> schedule(key);
      case CHACHA20_POLY1305 ->
          Arena.ofAuto().allocate(key.length).copyFrom(MemorySegment.ofArray(key));
    };
  }

  private static MemorySegment schedule(byte[] key) {
    MemorySegment schedule = Arena.ofAuto().allocate(Aes.SCHEDULE_BYTES, 16);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocateFrom(JAVA_BYTE, key);
      int result = (int) Aes.BEFORE.invokeExact(schedule.address(), copy.address());
      copy.fill((byte) 0);
      if (result != 0) {
        throw new IllegalStateException("libsodium refuses the key");
      }
      return schedule;
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /// Seals `length` bytes at `text` in place; the tag is written behind them.
  ///
  /// @param key key that [#prepare] has returned
  static void encrypt(
      AeadAlgorithm algorithm,
      MemorySegment key,
      long nonce,
      long header,
      int headerBytes,
      long text,
      int length) {
    long bytes = length;
    long covered = headerBytes;
    try {
      int result =
          switch (algorithm) {
            case AES_256_GCM ->
                (int)
                    Aes.ENCRYPT.invokeExact(
                        text, 0L, text, bytes, header, covered, 0L, nonce, key.address());
            case CHACHA20_POLY1305 ->
                (int)
                    ChaCha20.ENCRYPT.invokeExact(
                        text, 0L, text, bytes, header, covered, 0L, nonce, key.address());
          };
      if (result != 0) {
        throw new IllegalStateException("sealing failed; the session must end");
      }
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /// Opens `length` bytes at `text` in place, tag included. If the tag does not verify, the bytes
  /// are lost.
  ///
  /// @param key key that [#prepare] has returned
  /// @return true if the tag verifies
  static boolean decrypt(
      AeadAlgorithm algorithm,
      MemorySegment key,
      long nonce,
      long header,
      int headerBytes,
      long text,
      int length) {
    long bytes = length;
    long covered = headerBytes;
    try {
      int result =
          switch (algorithm) {
            case AES_256_GCM ->
                (int)
                    Aes.DECRYPT.invokeExact(
                        text, 0L, 0L, text, bytes, header, covered, nonce, key.address());
            case CHACHA20_POLY1305 ->
                (int)
                    ChaCha20.DECRYPT.invokeExact(
                        text, 0L, 0L, text, bytes, header, covered, nonce, key.address());
          };
      return result == 0;
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }
}
