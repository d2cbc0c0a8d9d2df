# One R implementation in one process; the protocol is worker.py's. Arguments: folder, runner, library.
# The expression to run is in folder/<runner>.R and sees the arrays of the folder by name.
args <- commandArgs(TRUE)
folder <- args[1]; runner <- args[2]

read_npy <- function(path) {
  con <- file(path, "rb"); on.exit(close(con))
  readBin(con, "raw", 8)                                     # magic and version 1.0
  header <- rawToChar(readBin(con, "raw", readBin(con, "integer", 1, 2, FALSE, "little")))
  type <- sub("(?s).*'descr': *'(.*?)'.*", "\\1", header, perl = TRUE)
  dims <- sub("(?s).*'shape': *\\((.*?)\\).*", "\\1", header, perl = TRUE)
  dims <- as.integer(strsplit(gsub(" ", "", dims), ",")[[1]])
  kind <- switch(type, "<f8" = 8, "<f4" = 4, "<i8" = 0, stop("cannot read ", type, " in ", path))
  if (kind > 0) x <- readBin(con, "numeric", prod(dims), kind)
  else x <- readBin(con, "integer", 2 * prod(dims), 4)[c(TRUE, FALSE)]  # low halves: small numbers only
  if (length(dims) < 2) return(x)
  if (grepl("'fortran_order': True", header)) matrix(x, dims[1], dims[2])
  else matrix(x, dims[1], dims[2], byrow = TRUE)
}

write_npy <- function(x, path) {
  dims <- if (is.null(dim(x))) paste0(length(x), ",") else paste(dim(x), collapse = ", ")
  text <- sprintf("{'descr': '<f8', 'fortran_order': True, 'shape': (%s), }", dims)
  text <- paste0(text, strrep(" ", (64 - (nchar(text) + 11) %% 64) %% 64), "\n")
  con <- file(path, "wb"); on.exit(close(con))
  writeBin(as.raw(c(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0)), con)
  writeBin(nchar(text), con, size = 2, endian = "little")
  writeBin(charToRaw(text), con); writeBin(as.numeric(x), con)
}

load_arrays <- function(name) {
  paths <- list.files(file.path(folder, name), "\\.npy$", full.names = TRUE)
  arrays <- lapply(paths, read_npy)
  names(arrays) <- sub("\\.npy$", "", basename(paths))
  list2env(arrays, parent = globalenv())
}

code <- parse(file.path(folder, paste0(runner, ".R")))
commands <- file("stdin", "r")
while (length(command <- readLines(commands, 1)) > 0) {
  reply <- tryCatch(switch(command,
    start = {
      suppressPackageStartupMessages(library(args[3], character.only = TRUE))
      suppressWarnings(eval(code, load_arrays("warm")))
      data <- load_arrays("data")
      paste("ok", packageVersion(args[3]))
    },
    run = {
      begin <- Sys.time(); cpu <- proc.time()          # proc.time counts milliseconds only
      result <- suppressWarnings(eval(code, data))
      seconds <- as.numeric(Sys.time() - begin, units = "secs")
      sprintf("ok %.7f %.3f", seconds, sum((proc.time() - cpu)[1:2]))
    },
    save = {
      dir.create(file.path(folder, runner), showWarnings = FALSE)
      for (name in names(result)) write_npy(result[[name]], file.path(folder, runner, paste0(name, ".npy")))
      "ok"
    }), error = function(e) paste("error", gsub("\\s+", " ", conditionMessage(e))))
  cat(reply, "\n", sep = ""); flush(stdout())
}
