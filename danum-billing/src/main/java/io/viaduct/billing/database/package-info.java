/// The PostgreSQL database: embedded if no URL is given, migrated by Flyway.
@NullMarked
package io.viaduct.billing.database;

import org.jspecify.annotations.NullMarked;
