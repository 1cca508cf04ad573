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

/// libsodium's AES-256-GCM with a precomputed key schedule
/// (<https://doc.libsodium.org/secret-key_cryptography/aead/aes-256-gcm>), out of the jar that
/// brings the library for each platform. The class cannot be initialised where the library cannot
/// be loaded or the processor has no AES instructions: ask [Ciphers].
final class Sodium {
  private static final MethodHandle BEFORE;
  private static final MethodHandle ENCRYPT;
  private static final MethodHandle DECRYPT;

  static {
    SymbolLookup library = load();
    FunctionDescriptor noArguments = FunctionDescriptor.of(JAVA_INT);
    try {
      if ((int) handle(library, "sodium_init", noArguments).invokeExact() < 0) {
        throw new UnsatisfiedLinkError("libsodium refuses to start");
      }
      if ((int) handle(library, "crypto_aead_aes256gcm_is_available", noArguments).invokeExact()
          == 0) {
        throw new UnsatisfiedLinkError("the processor has no AES instructions");
      }
    } catch (Throwable e) {
      throw unchecked(e);
    }
    BEFORE =
        handle(
            library,
            "crypto_aead_aes256gcm_beforenm",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    // Critical: too short to stop for. All by address: a segment of an array per call is garbage
    // that the compiler does not always see through.
    Linker.Option brief = Linker.Option.critical(false);
    ENCRYPT =
        handle(
            library,
            "crypto_aead_aes256gcm_encrypt_afternm",
            FunctionDescriptor.of(
                JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                JAVA_LONG, JAVA_LONG, JAVA_LONG),
            brief);
    DECRYPT =
        handle(
            library,
            "crypto_aead_aes256gcm_decrypt_afternm",
            FunctionDescriptor.of(
                JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                JAVA_LONG, JAVA_LONG, JAVA_LONG),
            brief);
  }

  private Sodium() {}

  private static MethodHandle handle(
      SymbolLookup library, String name, FunctionDescriptor type, Linker.Option... options) {
    return Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type, options);
  }

  /// What a handle may throw by its type, and a native call does not.
  private static RuntimeException unchecked(Throwable e) {
    return switch (e) {
      case Error error -> throw error;
      case RuntimeException exception -> exception;
      default -> new IllegalStateException("a native call throws nothing checked", e);
    };
  }

  private static SymbolLookup load() {
    String resource = resource(System.getProperty("os.arch").toLowerCase(Locale.ROOT));
    try (InputStream from = Sodium.class.getResourceAsStream(resource)) {
      if (from == null) {
        throw new UnsatisfiedLinkError("no " + resource + " on the class path");
      }
      Path copy = Files.createTempFile("viaduct-", ".so");
      try {
        Files.copy(from, copy, StandardCopyOption.REPLACE_EXISTING);
        return SymbolLookup.libraryLookup(copy, Arena.global());
      } finally {
        Files.delete(copy); // what is mapped stays
      }
    } catch (IOException e) {
      throw new UnsatisfiedLinkError("libsodium cannot be unpacked: " + e);
    }
  }

  private static String resource(String architecture) {
    return switch (architecture) {
      case "amd64", "x86_64" -> "/linux64/libsodium.so";
      case "aarch64" -> "/arm64/libsodium.so";
      default -> throw new UnsatisfiedLinkError("no libsodium for " + architecture);
    };
  }

  /// The key schedule: 512 bytes, aligned to 16, collected with the segment.
  static MemorySegment schedule(byte[] key) {
    MemorySegment schedule = Arena.ofAuto().allocate(512, 16);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocateFrom(JAVA_BYTE, key);
      int result = (int) BEFORE.invokeExact(schedule.address(), copy.address());
      copy.fill((byte) 0);
      if (result != 0) {
        throw new IllegalStateException("libsodium refuses the key");
      }
      return schedule;
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /// Seals `length` bytes at `text` where they are; the tag comes behind them.
  static void encrypt(
      MemorySegment schedule, long nonce, long header, int headerBytes, long text, int length) {
    try {
      int result =
          (int)
              ENCRYPT.invokeExact(
                  text,
                  0L,
                  text,
                  (long) length,
                  header,
                  (long) headerBytes,
                  0L,
                  nonce,
                  schedule.address());
      if (result != 0) {
        throw new IllegalStateException("sealing failed; the session must end");
      }
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /// Opens `length` bytes at `text`, tag included, where they are; if it does not verify, they are
  /// lost. @return whether the tag verifies
  static boolean decrypt(
      MemorySegment schedule, long nonce, long header, int headerBytes, long text, int length) {
    try {
      int result =
          (int)
              DECRYPT.invokeExact(
                  text,
                  0L,
                  0L,
                  text,
                  (long) length,
                  header,
                  (long) headerBytes,
                  nonce,
                  schedule.address());
      return result == 0;
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }
}
